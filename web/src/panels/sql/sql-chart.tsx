/** An answer as a drawing; the table beside it has the same in numbers. */
import { ends, short } from '../../parts/numbers';
import { type BarChart, extent, type LineChart, piecesOf } from './chart-of';

export function SqlChart({ chart }: { readonly chart: LineChart | BarChart }) {
  return chart.kind === 'bars' ? <Bars chart={chart} /> : <Lines chart={chart} />;
}

function Lines({ chart }: { readonly chart: LineChart }) {
  const { x, series, over } = chart;
  const across = extent(x);
  const up = extent(series.flatMap(({ values }) => values));
  if (!across || !up) return null;
  const [low, high] = ends(up[0], up[1]);
  return (
    <figure class="sql-chart" aria-label={`${series.map(({ name }) => name).join(', ')} over ${over}`}>
      <figcaption>
        {series.map(({ name }, index) => (
          <span key={name}>
            <i class="sql-line-key" style={{ background: `var(--line-${index})` }} /> {name}
          </span>
        ))}
      </figcaption>
      <div class="sql-drawing">
        <span class="muted">{high}</span>
        <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
          {series.map(({ name, values }, index) =>
            piecesOf(x, values, across, up).map((points) => (
              <polyline
                key={`${name} ${points}`}
                points={points.includes(' ') ? points : `${points} ${points}`}
                style={{ stroke: `var(--line-${index})` }}
                vector-effect="non-scaling-stroke"
              />
            )),
          )}
        </svg>
        <span class="muted">{up[1] > up[0] ? low : ''}</span>
      </div>
      <div class="sql-axis muted">
        <span>{short(across[0])}</span>
        <span>{over}</span>
        <span>{short(across[1])}</span>
      </div>
    </figure>
  );
}

function Bars({ chart }: { readonly chart: BarChart }) {
  const { names, series } = chart;
  const most = Math.max(...series.values.map((value) => Math.abs(value ?? 0)), Number.MIN_VALUE);
  return (
    <figure class="sql-chart" aria-label={`${series.name} of each`}>
      <figcaption>{series.name}</figcaption>
      <div class="sql-bars">
        {names.map((name, index) => {
          const value = series.values[index];
          return [
            <span key={`${name} ${index}`} class="sql-bar-name" title={name}>
              {name}
            </span>,
            <span key={`${name} ${index} bar`} class="sql-bar">
              <i style={{ width: `${(100 * Math.abs(value ?? 0)) / most}%` }} /> {short(value)}
            </span>,
          ];
        })}
      </div>
    </figure>
  );
}
