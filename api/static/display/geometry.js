// Where the table lies in a camera's picture: mm on the table to px and back, with the lens's distortion.

const times = (m, [x, y]) => {
  const w = m[2][0] * x + m[2][1] * y + m[2][2];
  return [(m[0][0] * x + m[0][1] * y + m[0][2]) / w, (m[1][0] * x + m[1][1] * y + m[1][2]) / w];
};

/** The inverse of a (3, 3) matrix, up to a factor: enough for homogeneous coordinates. */
export function inverse(m) {
  const [[a, b, c], [d, e, f], [g, h, i]] = m;
  return [
    [e * i - f * h, c * h - b * i, b * f - c * e],
    [f * g - d * i, a * i - c * g, c * d - a * f],
    [d * h - e * g, b * g - a * h, a * e - b * d],
  ];
}

function bend({ focal, middle, distortion }, [u, v]) {
  const [k1, k2, p1, p2, k3] = distortion;
  const x = (u - middle[0]) / focal[0], y = (v - middle[1]) / focal[1];
  const r = x * x + y * y, radial = 1 + r * (k1 + r * (k2 + r * k3));
  return [
    (x * radial + 2 * p1 * x * y + p2 * (r + 2 * x * x)) * focal[0] + middle[0],
    (y * radial + p1 * (r + 2 * y * y) + 2 * p2 * x * y) * focal[1] + middle[1],
  ];
}

/** A camera's view of the table. `plane`: {to_px, lens: {focal, middle, distortion} or null}. */
export class View {
  constructor(plane) {
    this.toFlat = plane.to_px;
    this.toTable = inverse(plane.to_px);
    this.lens = plane.lens?.focal ? plane.lens : null;
  }

  /** mm on the table to px of the picture. */
  px(mm) {
    const flat = times(this.toFlat, mm);
    return this.lens ? bend(this.lens, flat) : flat;
  }

  /** px of the picture to mm on the table. */
  mm(px) {
    let flat = px;
    if (this.lens) {
      for (let round = 0; round < 12; round += 1) {
        const bent = bend(this.lens, flat);
        flat = [flat[0] + px[0] - bent[0], flat[1] + px[1] - bent[1]];
      }
    }
    return times(this.toTable, flat);
  }
}

/** Corners of a zone, mm: its reader's top left, top right, bottom right, bottom left. */
export function corners({ centre, size, turn = 0 }) {
  const a = (turn * Math.PI) / 180, [w, d] = size;
  return [[-w, d], [w, d], [w, -d], [-w, -d]].map(([x, y]) => [
    (x * Math.cos(a) - y * Math.sin(a)) / 2 + centre[0], (x * Math.sin(a) + y * Math.cos(a)) / 2 + centre[1],
  ]);
}

/** The zone with a corner dragged to a place, mm; the corner across stays where it is. */
export function dragged(zone, corner, to, least = 60) {
  const a = ((zone.turn ?? 0) * Math.PI) / 180;
  const across = corners(zone)[(corner + 2) % 4];
  const [dx, dy] = [to[0] - across[0], to[1] - across[1]];
  const [x, y] = [dx * Math.cos(a) + dy * Math.sin(a), -dx * Math.sin(a) + dy * Math.cos(a)];
  const [sx, sy] = [corner === 1 || corner === 2 ? 1 : -1, corner < 2 ? 1 : -1];
  const [w, d] = [Math.max(least, x * sx), Math.max(least, y * sy)];
  const [mx, my] = [(w * sx) / 2, (d * sy) / 2];
  return {
    ...zone, size: [round(w), round(d)],
    centre: [round(across[0] + mx * Math.cos(a) - my * Math.sin(a)), round(across[1] + mx * Math.sin(a) + my * Math.cos(a))],
  };
}

const round = (value) => Math.round(value * 2) / 2;
