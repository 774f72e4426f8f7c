"""One module for each group of commands; `api.cli` puts them together."""
