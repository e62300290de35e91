/** The panels of the chosen event, one at a time behind tabs. Each is given the whole room below the tabs. */
import type { ComponentType } from 'preact';
import { useRef } from 'preact/hooks';
import { Guard } from '../../parts/guard';
import { TABS, type Tab } from '../../state/place';
import { go, place } from '../../state/store';
import { EventPanel } from '../event/event-panel';
import { GraphPanel } from '../graph/graph-panel';
import { TensorPanel } from '../tensor/tensor-panel';
import { ValuesPanel } from '../values/values-panel';
import './detail.css';

const PANELS: Readonly<Record<Tab, { readonly title: string; readonly panel: ComponentType }>> = {
  event: { title: 'Event', panel: EventPanel },
  tensor: { title: 'History', panel: TensorPanel },
  values: { title: 'Values', panel: ValuesPanel },
  graph: { title: 'Graph', panel: GraphPanel },
};

export function DetailPanel() {
  const tab = place.value.tab;
  const Chosen = PANELS[tab].panel;
  const tabs = useRef<HTMLDivElement>(null);

  const press = (event: KeyboardEvent): void => {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    const next = TABS[(TABS.indexOf(tab) + by + TABS.length) % TABS.length];
    if (!by || !next) return;
    event.preventDefault();
    go({ tab: next }, 'replace');
    tabs.current?.querySelector<HTMLElement>(`#tab-${next}`)?.focus();
  };

  return (
    <section class="panel panel-detail" aria-label="Chosen event">
      <div ref={tabs} class="tabs" role="tablist" aria-label="Views of the chosen event" onKeyDown={press}>
        {TABS.map((each) => (
          <button
            key={each}
            id={`tab-${each}`}
            type="button"
            role="tab"
            aria-selected={each === tab}
            aria-controls="tab-panel"
            tabIndex={each === tab ? 0 : -1}
            onClick={() => go({ tab: each }, 'replace')}
          >
            {PANELS[each].title}
          </button>
        ))}
      </div>
      <div id="tab-panel" class="tab-panel" role="tabpanel" aria-labelledby={`tab-${tab}`}>
        <Guard key={tab} what={PANELS[tab].title}>
          <Chosen />
        </Guard>
      </div>
    </section>
  );
}
