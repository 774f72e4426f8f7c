"""Guandan (掼蛋): combinations, tribute, deal, levels."""
