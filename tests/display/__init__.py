"""Tests of the pages that the service gives out, in a real browser."""
