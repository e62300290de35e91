import { describe, expect, it } from 'vitest';
import { centred, fitted, magnified, opening, revealing } from '../../../src/panels/graph/camera';

const drawing = (width: number, height: number) => ({ width, height, nodes: [], boxes: [], edges: [] });
const ROOM = { width: 400, height: 300 };
const NODE = { x: 1500, y: 900, width: 100, height: 40 };

describe('the camera', () => {
  it('has a small graph fill its room, but not with giant words', () => {
    expect(fitted(drawing(200, 100), ROOM)).toEqual({ x: 40, y: 70, scale: 1.6 });
    expect(fitted(drawing(400, 100), ROOM).scale).toBe(1);
    expect(fitted(drawing(800, 300), ROOM)).toEqual({ x: 0, y: 75, scale: 0.5 });
  });

  it('begins at the chosen operation where all of the graph could not be read', () => {
    const camera = opening(drawing(3000, 2000), ROOM, NODE);
    expect(camera.x + NODE.x * camera.scale).toBeCloseTo(200);
    expect(camera.y + NODE.y * camera.scale).toBeCloseTo(150);
    expect(camera.scale).toBeGreaterThan(0.6);
  });

  it('begins with what comes first where that can be read, and the chosen operation is in it', () => {
    const first = { x: 1500, y: 950, width: 200, height: 200 };
    const camera = opening(drawing(3000, 2000), ROOM, NODE, first);
    expect(camera.y + first.y * camera.scale).toBeCloseTo(150);
    const elsewhere = opening(drawing(3000, 2000), ROOM, { ...NODE, x: 200 }, first);
    expect(elsewhere.x + 200 * elsewhere.scale).toBeCloseTo(200);
    const long = opening(drawing(3000, 2000), ROOM, NODE, { ...first, height: 1500 });
    expect(long.y + NODE.y * long.scale).toBeCloseTo(150);
  });

  it('magnifies around a point that stays', () => {
    const before = centred(NODE, ROOM, 1);
    const after = magnified(before, { x: 40, y: 60 }, 2);
    expect((40 - before.x) / before.scale).toBeCloseTo((40 - after.x) / after.scale);
    expect(magnified(before, { x: 0, y: 0 }, 1000).scale).toBeLessThan(5);
    expect(magnified(before, { x: 0, y: 0 }, 0.00001).scale).toBeGreaterThan(0.01);
  });

  it('moves no further than it takes to see a node', () => {
    const camera = centred(NODE, ROOM, 1);
    expect(revealing(camera, NODE, ROOM)).toBe(camera);
    const moved = revealing(camera, { ...NODE, x: 1900 }, ROOM);
    expect(moved.x + 1950).toBeCloseTo(ROOM.width - 12);
    expect(moved.y).toBe(camera.y);
  });
});
