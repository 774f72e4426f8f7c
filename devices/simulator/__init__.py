"""A table that is not there: bots that play matches by the rules, and faults planted in what they did."""
