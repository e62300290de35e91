/** Which part of the drawing is in sight, and how large. */
import type { Area, Point } from './layout';

/** A point of the drawing stands at `x + scale * point`. */
export interface Camera {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

export interface Room {
  readonly width: number;
  readonly height: number;
}

/** How large a drawing is. */
type Size = Room;

const SMALLEST = 0.1;
/** A small graph fills its room, but not with words larger than headlines. */
const LARGEST_FIT = 1.6;
const LARGEST = 2.5;
/** Below this words can't be read. */
const READABLE = 0.58;
/** What is seen around that which comes first. */
const ROUND = 160;

/** All of it, in the middle. */
export function fitted(drawing: Size, room: Room): Camera {
  const scale = Math.max(Math.min(room.width / drawing.width, room.height / drawing.height, LARGEST_FIT), SMALLEST);
  return {
    x: (room.width - drawing.width * scale) / 2,
    y: (room.height - drawing.height * scale) / 2,
    scale,
  };
}

/**
 * All of it where it can be read so; or else what comes first, with the node in it; or what is around the node, or the top
 * of it where there is none.
 */
export function opening(drawing: Size, room: Room, centre: Area | undefined, first?: Area): Camera {
  const all = fitted(drawing, room);
  if (all.scale >= READABLE) return all;
  if (first && (!centre || holds(first, centre))) {
    const scale = Math.min(room.width / (first.width + ROUND), room.height / (first.height + ROUND), 1);
    if (scale >= READABLE) return centred(first, room, scale);
  }
  if (!centre) {
    const scale = Math.max(Math.min(room.width / drawing.width, 1), READABLE);
    return { x: (room.width - drawing.width * scale) / 2, y: 0, scale };
  }
  return centred(centre, room, READABLE + 0.1);
}

function holds(area: Area, { x, y }: Point): boolean {
  return Math.abs(x - area.x) <= area.width / 2 && Math.abs(y - area.y) <= area.height / 2;
}

/** A point in the middle. */
export function centred(point: Point, room: Room, scale: number): Camera {
  return { x: room.width / 2 - point.x * scale, y: room.height / 2 - point.y * scale, scale };
}

/** Larger or smaller around a point of the screen. */
export function magnified(camera: Camera, around: Point, factor: number): Camera {
  const scale = Math.min(Math.max(camera.scale * factor, SMALLEST), LARGEST);
  const by = scale / camera.scale;
  return { x: around.x - (around.x - camera.x) * by, y: around.y - (around.y - camera.y) * by, scale };
}

/** Moved just so far that a node is in sight. */
export function revealing(camera: Camera, area: Area, room: Room, margin = 12): Camera {
  const shift = (middle: number, half: number, offset: number, size: number): number => {
    const [low, high] = [offset + (middle - half) * camera.scale, offset + (middle + half) * camera.scale];
    if (low < margin) return margin - low;
    if (high > size - margin) return Math.max(size - margin - high, margin - low);
    return 0;
  };
  const x = shift(area.x, area.width / 2, camera.x, room.width);
  const y = shift(area.y, area.height / 2, camera.y, room.height);
  return x || y ? { ...camera, x: camera.x + x, y: camera.y + y } : camera;
}
