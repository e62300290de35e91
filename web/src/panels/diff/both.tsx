/** The chosen values side by side, in numbers. */
import type { EventView } from '../../api/types';
import { short } from '../../parts/numbers';

const NUMBERS = ['min', 'mean', 'max', 'std', 'zero', 'nan'] as const;

export function Both({ a, b }: { readonly a: EventView | undefined; readonly b: EventView | undefined }) {
  return (
    <table class="diff-both">
      <thead>
        <tr>
          <td />
          <th scope="col">A, the reference</th>
          <th scope="col">B</th>
        </tr>
      </thead>
      <tbody>
        <Row name="tensor" a={a?.row.tensor} b={b?.row.tensor} />
        <Row name="type" a={typeOf(a)} b={typeOf(b)} />
        {NUMBERS.map((name) => (
          <Row key={name} name={name} a={short(a?.row.health?.[name])} b={short(b?.row.health?.[name])} />
        ))}
      </tbody>
    </table>
  );
}

function Row({
  name,
  a,
  b,
}: {
  readonly name: string;
  readonly a: string | undefined;
  readonly b: string | undefined;
}) {
  return (
    <tr class={a === b ? '' : 'diff-unlike'}>
      <th scope="row">{name}</th>
      <td>{a}</td>
      <td>{b}</td>
    </tr>
  );
}

function typeOf(event: EventView | undefined): string {
  if (!event) return '';
  const { dtype, shape } = event.row;
  return `${dtype}${shape ? `[${shape.join(', ')}]` : ''}`;
}
