/** A tensor's health: what its elements are, and their range. */
import type { EventView } from '../../api/types';
import { breakdown, PART_LABELS } from '../../parts/breakdown';
import { HealthBar } from '../../parts/health-bar';
import { Move } from '../../parts/move';
import { count, counted, exact, NONE, percent, shape, short } from '../../parts/numbers';
import { sliceAt } from './slice-at';

export function Health({ view }: { readonly view: EventView }) {
  const { row, first_bad_index: bad } = view;
  const { health } = row;
  return (
    <section class="event-health" aria-label="Health">
      <p class="event-kind">
        <code>
          {row.dtype}
          {shape(row.shape)}
        </code>
        {health ? <span class="muted"> {counted(health.size, 'element')}</span> : null}
      </p>
      {row.text ? (
        <p class="event-text">
          <code>{row.text}</code>
        </p>
      ) : null}
      {health ? (
        <>
          {row.dtype === 'string' ? null : <HealthBar health={health} />}
          {row.dtype === 'string' ? <Strings view={view} /> : <Parts view={view} />}
          <Numbers view={view} />
        </>
      ) : (
        <p class="muted">Its health was not measured: the recording kept less detail, or its type has none.</p>
      )}
      {bad?.length ? (
        <p>
          First that is not finite at <FirstBad index={bad} kept={row.kept} />
        </p>
      ) : null}
    </section>
  );
}

/** How many of the strings are empty. */
function Strings({ view: { row } }: { readonly view: EventView }) {
  return row.health?.zero ? <p>{count(row.health.zero)} empty</p> : null;
}

function Parts({ view: { row } }: { readonly view: EventView }) {
  const { health } = row;
  if (!health) return null;
  return (
    <ul class="event-parts">
      {breakdown(health).map(({ name, count: number }) => (
        <li key={name}>
          <span class={`swatch part-${name}`} aria-hidden="true" /> {count(number)}{' '}
          <strong class={name === 'nan' || name.endsWith('inf') ? 'bad' : ''}>{PART_LABELS[name]}</strong>{' '}
          <span class="muted">{percent(number, health.size)}</span>
        </li>
      ))}
      {health.subnormal ? (
        <li title="So small that they have lost digits">
          {count(health.subnormal)} of them <strong>subnormal</strong>
        </li>
      ) : null}
    </ul>
  );
}

function Numbers({ view: { row } }: { readonly view: EventView }) {
  const { health } = row;
  if (!health) return null;
  const strings = row.dtype === 'string';
  const columns = [
    [strings ? 'shortest' : 'min', health.min],
    ['mean', health.mean],
    [strings ? 'longest' : 'max', health.max],
    ['std', health.std],
  ] as const;
  if (columns.every(([, value]) => value === null)) return null;
  return (
    <dl class="event-numbers" title={strings ? 'Lengths in bytes' : 'Over the finite elements'}>
      {columns.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd title={exact(value)}>{value === null ? NONE : short(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The index, as a link to the elements around it where they were kept. */
function FirstBad({ index, kept }: { readonly index: readonly number[]; readonly kept: boolean }) {
  const words = <code>{shape(index)}</code>;
  return kept ? <Move to={{ tab: 'values', slice: sliceAt(index) }}>{words}</Move> : words;
}
