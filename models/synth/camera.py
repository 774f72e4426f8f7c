"""The camera over the table: the homography from table millimetres to pixels, and what lens and chip do to
light."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from models.synth.surfaces import Picture, soft_noise

Matrix = NDArray[np.float64]


def look_down(
    size: tuple[int, int],
    px_per_mm: float,
    tilt: float,
    azimuth: float,
    distance_mm: float,
    aim: tuple[float, float],
) -> Matrix:
    """The homography (3, 3) from the table plane (mm, y towards the viewer) to pixels (centres at whole
    numbers).

    Args:
        size: (width, height) px.
        px_per_mm: scale at the picture's middle, the mean over all directions.
        tilt: degrees off the vertical.
        azimuth: degrees, where on the compass the camera stands; 0 is at the lower edge.
        distance_mm: from the lens to the point looked at; the shorter, the stronger the perspective.
        aim: the point of the plane in the picture's middle, mm.
    """
    a, t = np.deg2rad(azimuth), np.deg2rad(tilt)
    turn = np.array([[np.cos(a), np.sin(a), 0], [-np.sin(a), np.cos(a), 0], [0, 0, 1]])
    move = np.array([[1, 0, -aim[0]], [0, 1, -aim[1]], [0, 0, 1.0]])
    # A plane tilted about the x axis: its far side (y < 0) shrinks.
    lean = np.array([[1, 0, 0], [0, np.cos(t), 0], [0, -np.sin(t) / distance_mm, 1.0]])
    scale = px_per_mm / np.sqrt(np.cos(t))
    to_px = np.array([[scale, 0, (size[0] - 1) / 2], [0, scale, (size[1] - 1) / 2], [0, 0, 1]])
    return np.asarray(to_px @ turn.T @ lean @ turn @ move, np.float64)


def project(matrix: Matrix, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Points (..., 2) through a homography."""
    flat = np.asarray(points, np.float64)
    w = flat @ matrix[2, :2] + matrix[2, 2]
    return np.asarray((flat @ matrix[:2, :2].T + matrix[:2, 2]) / w[..., None], np.float64)


def local_scale(matrix: Matrix, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Pixels per millimetre at points (..., 2), the mean over all directions (root of the area's growth)."""
    w = np.asarray(points, np.float64) @ matrix[2, :2] + matrix[2, 2]
    return np.asarray(np.sqrt(np.abs(np.linalg.det(matrix) / w**3)), np.float64)


@dataclass(slots=True)
class Look:
    """What light, lens and chip do to one picture; every number as it was drawn, for tables of errors.

    Blurs and lengths in px, noise in grey levels of 255, `gains` are B, G, R.
    """

    focus_px: float = 0.0
    motion_px: float = 0.0
    motion_angle: float = 0.0
    exposure: float = 1.0
    gamma: float = 1.0
    contrast: float = 0.0
    saturation: float = 1.0
    gains: tuple[float, float, float] = (1.0, 1.0, 1.0)
    haze: float = 0.0
    noise: float = 0.0
    chroma_noise: float = 0.0
    pepper: float = 0.0
    sharpen: float = 0.0
    shrink: float = 1.0
    squeeze: float = 1.0
    jpeg: int = 95
    jpeg_420: bool = True


def motion_kernel(length: float, angle: float) -> NDArray[np.float32]:
    """A normalised line of `length` px at `angle` degrees."""
    half = int(np.ceil(length / 2)) + 1
    n = 2 * half + 1
    kernel = np.zeros((n * 4, n * 4), np.float32)
    a = np.deg2rad(angle)
    d = np.array([np.cos(a), -np.sin(a)]) * length * 2
    c = np.array([2.0 * n - 0.5, 2.0 * n - 0.5])
    p, q = (np.round((c - d) * 16)).astype(int), (np.round((c + d) * 16)).astype(int)
    cv2.line(kernel, tuple(p.tolist()), tuple(q.tolist()), 1.0, 4, cv2.LINE_AA, shift=4)
    small = cv2.resize(kernel, (n, n), interpolation=cv2.INTER_AREA)
    return np.asarray(small / small.sum(), np.float32)


def expose(rng: np.random.Generator, scene: Picture, look: Look) -> NDArray[np.uint8]:
    """The photograph that a camera with this look takes of a scene (H, W, 3 float32, BGR 0..255)."""
    picture = _lens(scene, look)
    picture = _tone(picture, look)
    picture = _chip(rng, picture, look)
    out = np.clip(picture, 0, 255).astype(np.uint8)
    if look.squeeze < 0.99:
        h, w = out.shape[:2]
        narrow = cv2.resize(out, (max(8, int(w * look.squeeze)), h), interpolation=cv2.INTER_AREA)
        out = np.asarray(cv2.resize(narrow, (w, h), interpolation=cv2.INTER_LINEAR), np.uint8)
    if look.pepper > 0:
        hit = rng.random(out.shape[:2]) < look.pepper
        out[hit] = rng.integers(0, 256, (int(hit.sum()), 1), dtype=np.uint8)
    return _compress(out, look)


def _lens(scene: Picture, look: Look) -> Picture:
    picture = scene
    if look.focus_px > 0.15:
        picture = cv2.GaussianBlur(picture, (0, 0), look.focus_px)  # type: ignore[assignment]
    if look.motion_px > 0.5:
        picture = cv2.filter2D(  # type: ignore[assignment]
            picture, -1, motion_kernel(look.motion_px, look.motion_angle), borderType=cv2.BORDER_REFLECT
        )
    return picture


def _tone(picture: Picture, look: Look) -> Picture:
    gains = np.asarray(look.gains, np.float32) * np.float32(look.exposure / 255)
    x = picture * gains
    if look.haze:
        x = x * np.float32(1 - look.haze) + np.float32(look.haze)
    np.clip(x, 0, 1, out=x)
    x = np.asarray(cv2.pow(x, look.gamma), np.float32)
    if look.contrast:
        # Zero at black, middle and white: lifts or flattens what is between.
        x += np.float32(2 * look.contrast) * x * (1 - x) * (2 * x - 1)
        np.clip(x, 0, 1, out=x)
    if look.saturation != 1.0:
        grey = np.array([0.114, 0.587, 0.299]) * (1 - look.saturation)
        x = np.asarray(cv2.transform(x, np.eye(3) * look.saturation + grey), np.float32)
    return np.asarray(x * np.float32(255), np.float32)


def _chip(rng: np.random.Generator, picture: Picture, look: Look) -> Picture:
    h, w = picture.shape[:2]
    if look.noise > 0.2:
        grain = rng.standard_normal((h, w), dtype=np.float32)
        if look.noise > 5:
            # Strong noise has passed a denoiser or a scaler: it is no longer independent from pixel to pixel.
            grain = cv2.GaussianBlur(grain, (0, 0), 0.55) * np.float32(1.5)
        picture = picture + (grain * np.float32(look.noise))[..., None]
    if look.chroma_noise > 0.2:
        half = rng.standard_normal((h // 2 + 1, w // 2 + 1, 3), dtype=np.float32)
        blotches = cv2.resize(half, (w, h), interpolation=cv2.INTER_LINEAR)
        picture = picture + blotches * np.float32(look.chroma_noise)
    if look.shrink < 0.97:
        small = (max(8, round(w * look.shrink)), max(8, round(h * look.shrink)))
        picture = cv2.resize(picture, small, interpolation=cv2.INTER_AREA)  # type: ignore[assignment]
        picture = cv2.resize(picture, (w, h), interpolation=cv2.INTER_LINEAR)  # type: ignore[assignment]
    if look.sharpen > 0.02:
        soft = cv2.GaussianBlur(picture, (0, 0), 1.1)
        picture = picture + np.float32(look.sharpen) * (picture - soft)
    return picture


def _compress(out: NDArray[np.uint8], look: Look) -> NDArray[np.uint8]:
    if look.jpeg >= 100:
        return out
    sampling = cv2.IMWRITE_JPEG_SAMPLING_FACTOR_420 if look.jpeg_420 else cv2.IMWRITE_JPEG_SAMPLING_FACTOR_444
    options = [cv2.IMWRITE_JPEG_QUALITY, look.jpeg, cv2.IMWRITE_JPEG_SAMPLING_FACTOR, sampling]
    done, data = cv2.imencode(".jpg", out, options)
    if not done:
        raise RuntimeError("a scene could not be compressed to JPEG")
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)


def light_field(rng: np.random.Generator, size: tuple[int, int], strength: float) -> NDArray[np.float32]:
    """How much light falls where, (h, w, 1), about 1: a slope, a vignette, soft clouds, sometimes a hard
    shadow."""
    w, h = size
    y, x = np.mgrid[-1 : 1 : h * 1j, -1 : 1 : w * 1j].astype(np.float32)
    turn = rng.uniform(0, 2 * np.pi)
    field = 1 + np.float32(strength * rng.uniform(0, 0.35)) * (
        x * np.float32(np.cos(turn)) + y * np.float32(np.sin(turn))
    )
    field += np.float32(strength * rng.uniform(0, 0.15)) * soft_noise(rng, h, w, h / 2)
    if rng.random() < 0.5 * strength:
        field -= np.float32(rng.uniform(0, 0.25) * strength) * (x * x + y * y)
    if rng.random() < 0.3 * strength:
        field *= cast_shadow(rng, size)
    return np.asarray(np.clip(field, 0.25, 2)[..., None], np.float32)


def cast_shadow(rng: np.random.Generator, size: tuple[int, int]) -> NDArray[np.float32]:
    """The shadow of something out of the picture (a head, an arm, a window frame): factors (h, w) up to 1."""
    w, h = size
    mask = np.zeros((h, w), np.uint8)
    big = max(w, h)
    if rng.random() < 0.5:
        centre = rng.uniform(0, 1, 2) * (w, h)
        box = (
            tuple(centre.tolist()),
            (2.5 * big, float(rng.uniform(0.08, 0.6) * big)),
            float(rng.uniform(0, 180)),
        )
        cv2.fillPoly(mask, [cv2.boxPoints(box).astype(np.int32)], 255)
    else:
        for _ in range(int(rng.integers(1, 4))):
            c = rng.uniform(-0.1, 1.1, 2) * (w, h)
            axes = rng.uniform(0.1, 0.5, 2) * big
            at, half = (int(c[0]), int(c[1])), (int(axes[0]), int(axes[1]))
            cv2.ellipse(mask, at, half, float(rng.uniform(0, 180)), 0, 360, 255, -1)
    soft = cv2.GaussianBlur(mask, (0, 0), float(rng.choice([1.0, 2.5, 8.0, 20.0])))
    return np.asarray(1 - np.float32(rng.uniform(0.15, 0.6) / 255) * soft.astype(np.float32), np.float32)
