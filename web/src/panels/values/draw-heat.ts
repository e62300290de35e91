/** Draws a heat map. */
import type { Range, ValueBlocks } from './blocks';
import { colourOf, type HeatColours, type HeatScale, SIGNS, shadeOf } from './heat';
import type { Cell } from './values-view';

/** From this many pixels on an element has room for a sign. */
const ROOM_FOR_SIGN = 8;

interface Heat {
  readonly blocks: ValueBlocks;
  readonly rows: Range;
  readonly columns: Range;
  /** Pixels of an element, across and down. */
  readonly size: readonly [number, number];
  readonly scale: HeatScale;
  readonly colours: HeatColours;
  /** The chosen element. */
  readonly cell: Cell | undefined;
  readonly frame: string;
  readonly sign: string;
}

export function drawHeat(canvas: HTMLCanvasElement, heat: Heat): void {
  const [width, height] = heat.size;
  const across = heat.columns[1] - heat.columns[0] + 1;
  const down = heat.rows[1] - heat.rows[0] + 1;
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(across * width * ratio);
  canvas.height = Math.round(down * height * ratio);
  canvas.style.width = `${across * width}px`;
  canvas.style.height = `${down * height}px`;
  const context = canvas.getContext('2d');
  if (!context || across <= 0 || down <= 0) return;
  context.imageSmoothingEnabled = false;
  context.drawImage(pixels(heat, across, down), 0, 0, canvas.width, canvas.height);
  context.scale(ratio, ratio);
  if (Math.min(width, height) >= ROOM_FOR_SIGN) drawSigns(context, heat);
  if (heat.cell) {
    const [x, y] = [(heat.cell[1] - heat.columns[0]) * width, (heat.cell[0] - heat.rows[0]) * height];
    context.strokeStyle = heat.frame;
    context.lineWidth = 2;
    // Around a small element, so that it is seen itself.
    context.strokeRect(x - 1, y - 1, width + 2, height + 2);
  }
}

/** One pixel for each element. */
function pixels({ blocks, rows, columns, scale, colours }: Heat, across: number, down: number): HTMLCanvasElement {
  const image = new ImageData(across, down);
  for (let row = 0; row < down; row += 1) {
    for (let column = 0; column < across; column += 1) {
      const element = blocks.element(rows[0] + row, columns[0] + column);
      image.data.set([...colourOf(shadeOf(element, scale), colours), 255], 4 * (row * across + column));
    }
  }
  const small = document.createElement('canvas');
  small.width = across;
  small.height = down;
  small.getContext('2d')?.putImageData(image, 0, 0);
  return small;
}

function drawSigns(context: CanvasRenderingContext2D, { blocks, rows, columns, size, scale, sign }: Heat): void {
  const [width, height] = size;
  context.fillStyle = sign;
  context.font = `${Math.min(width, height) - 1}px sans-serif`;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  for (let row = rows[0]; row <= rows[1]; row += 1) {
    for (let column = columns[0]; column <= columns[1]; column += 1) {
      const shade = shadeOf(blocks.element(row, column), scale);
      if (typeof shade !== 'string') continue;
      const [x, y] = [(column - columns[0] + 0.5) * width, (row - rows[0] + 0.55) * height];
      context.fillText(SIGNS[shade], x, y);
    }
  }
}
