"""The HTTP side of a table node: routes by subject, who may use them, what they answer when they cannot."""
