/** All that the palette leads to: what keys and buttons do, findings, files, runs, and the tensors of a name. */
import type { EventRow, RunList, SourceList } from '../api/types';
import { BINDINGS } from '../bar/keys';
import { usual } from '../bar/panel-chooser';
import { runWords } from '../bar/run-words';
import { fileName } from '../parts/file-name';
import { placeOf } from '../state/choose';
import { hidden, PANELS, type PanelName, togglePanel } from '../state/sizes';
import { findings, go, overview, place } from '../state/store';
import { THEMES, theme } from '../state/theme';
import type { Entry } from './ranking';

/** What a key or a switch does. */
export function commands(): readonly Entry[] {
  return [
    ...BINDINGS.map(({ keys, does, run }) => ({ kind: 'do', words: does, key: keys[0], run })),
    ...THEMES.map((each) => ({
      kind: 'do',
      words: `theme: ${each === 'system' ? 'as the system has it' : each}`,
      run: () => {
        theme.value = each;
      },
    })),
    {
      kind: 'do',
      words: 'show all panels in their usual size',
      run: usual,
    },
    ...(Object.keys(PANELS) as PanelName[]).map((name) => ({
      kind: 'do',
      words: `${hidden.peek().has(name) ? 'show' : 'hide'} the panel: ${PANELS[name]}`,
      run: () => togglePanel(name),
    })),
    { kind: 'do', words: 'show all events, without a search', run: () => go({ search: '' }) },
    { kind: 'do', words: 'show only events that are not finite', run: () => go({ search: 'nonfinite' }) },
  ];
}

/** The findings, in their order. */
export function findingEntries(): readonly Entry[] {
  return (findings.value?.findings ?? []).map((finding) => ({
    kind: finding.level === 'trouble' ? 'finding' : finding.level,
    words: finding.title,
    more: finding.source ? `${fileName(finding.source.file)}:${finding.source.line}` : '',
    run: () => go(placeOf(finding, overview.peek(), place.peek())),
  }));
}

/** The processes of the run, where there are several. */
export function processEntries(): readonly Entry[] {
  const processes = overview.value?.processes ?? [];
  if (processes.length < 2) return [];
  return processes.map(({ process }, index) => ({
    kind: 'process',
    words: process,
    run: () => go({ process: index ? process : '' }),
  }));
}

/** Other runs. */
export function runEntries(known: RunList | undefined): readonly Entry[] {
  const runs = known?.runs ?? [];
  if (runs.length < 2) return [];
  return runs.map((run) => ({
    kind: 'run',
    words: runWords(run, runs),
    more: run.run,
    run: () => go({ run: run.run }),
  }));
}

/** The source files that the trace holds. */
export function fileEntries(known: SourceList | undefined): readonly Entry[] {
  return (known?.files ?? []).map(({ file }) => ({
    kind: 'file',
    words: fileName(file),
    more: file,
    run: () => go({ file, line: undefined, view: 'details' }),
  }));
}

/** The tensors of these events, each once. */
export function tensorEntries(rows: readonly EventRow[]): readonly Entry[] {
  const seen = new Set<string>();
  const first = rows.filter(({ tensor, function: name }) => {
    const key = `${tensor} ${name}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
  return first.map((row) => ({
    kind: 'tensor',
    words: row.tensor,
    more: [row.op_type, row.function].filter(Boolean).join(', '),
    run: () => go({ event: row.event, execution: row.execution >= 0 ? row.execution : undefined }),
  }));
}

/** The name of a tensor that may have been typed, without its slot; empty for the search's own language. */
export function bareName(typed: string): string {
  return typed
    .replace(/:(\d+$|\s|$)/g, ' ')
    .replace(/^.*:.*$/, '')
    .replace(/["*?]|(^|\s)-/g, ' ')
    .trim();
}

/** What can be done with a text that is no name of anything. */
export function searchEntries(text: string): readonly Entry[] {
  if (!text) return [];
  return [
    { kind: 'search', words: `events: ${text}`, run: () => go({ search: text, view: 'details' }) },
    {
      kind: 'search',
      words: `in the graph: ${text}`,
      run: () => go({ tab: 'graph', graph: 'whole', find: text, view: 'details' }),
    },
  ];
}
