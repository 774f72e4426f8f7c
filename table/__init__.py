"""The rules room: cards, deals, clocks, knowledge of hands, findings, records. Pure: time comes in on the events."""
