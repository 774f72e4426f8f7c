"""The room that knows where things lie: lens, table plane, zones and the table file that stores them."""
