"""Shengji / Tractor (升级 / 拖拉机): order, units, following, throws, kitty, levels."""
