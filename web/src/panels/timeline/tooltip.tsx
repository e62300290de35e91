/** What the mouse is at, in words beside it. */
import { hovered } from './pointing';

export function Tooltip() {
  const shown = hovered.value;
  if (!shown) return null;
  const right = shown.x > window.innerWidth / 2;
  const side = right ? { right: `${window.innerWidth - shown.x + 12}px` } : { left: `${shown.x + 12}px` };
  const low = shown.y > window.innerHeight - 100;
  const height = low ? { bottom: '4px' } : { top: `${shown.y}px` };
  return (
    <div class={`timeline-tooltip${shown.bad ? ' timeline-tooltip-bad' : ''}`} style={{ ...side, ...height }}>
      {shown.lines.map((line, index) => (
        <div key={line} class={index === 0 ? 'timeline-tooltip-name' : ''}>
          {line}
        </div>
      ))}
    </div>
  );
}
