"""`paizhuo bench soak`: the same crowd as `bench api`, for hours."""

from __future__ import annotations

from api.commands.bench_api import bench_soak

__all__ = ["bench_soak"]
