/** One finding of the list; the chosen one is unfolded. */
import { useEffect, useRef } from 'preact/hooks';
import type { Finding } from '../../api/types';
import { fileName } from '../../parts/file-name';
import { Move } from '../../parts/move';
import { count } from '../../parts/numbers';
import { showWithin } from '../../parts/scroll/show-within';
import { placeOf } from '../../state/choose';
import { overview, place } from '../../state/store';
import { FindingDetails } from './finding-details';

interface FindingItemProps {
  readonly finding: Finding;
  readonly sign: string;
}

export function FindingItem({ finding, sign }: FindingItemProps) {
  const own = useRef<HTMLLIElement>(null);
  const chosen = place.value.finding === finding.number;
  useEffect(() => {
    const head = own.current?.firstElementChild;
    if (chosen && head) showWithin(head, '.panel-body');
  }, [chosen]);
  return (
    <li ref={own} class={`finding level-${finding.level}`} data-finding={finding.number}>
      <Move class="finding-head" to={placeOf(finding, overview.value, place.value)} current={chosen}>
        <span class="finding-title">
          <span class="level-sign" aria-hidden="true">
            {sign}
          </span>{' '}
          {finding.title}
          {finding.occurrences > 1 ? <span class="finding-times"> {count(finding.occurrences)} times</span> : null}
        </span>
        <Whereabouts finding={finding} />
        {chosen ? null : <span class="finding-short">{finding.explanation}</span>}
      </Move>
      {chosen ? <FindingDetails finding={finding} /> : null}
    </li>
  );
}

/** Line, function, step and process in a row. */
function Whereabouts({ finding: { source, function: name, step, iteration, process } }: { readonly finding: Finding }) {
  const several = (overview.value?.processes.length ?? 0) > 1;
  const parts = [
    source ? `${fileName(source.file)}:${source.line}` : '',
    name ? `${name}()` : '',
    step === null ? '' : `step ${step}`,
    iteration === null ? '' : `iteration ${iteration}`,
    several ? process : '',
  ].filter(Boolean);
  return <span class="finding-where">{parts.join(' · ')}</span>;
}
