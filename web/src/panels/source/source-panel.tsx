/** The source as it was when the program ran, the chosen line marked, and the stack that led to it. */
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { answers } from '../../api/current';
import { fileName } from '../../parts/file-name';
import { Nothing, Panel } from '../../parts/panel';
import { chosenFinding } from '../../state/choose';
import { running } from '../../state/live';
import { chosen, go, live, overview, place, where } from '../../state/store';
import { useGrowth } from '../../state/throttled';
import { useAnswer } from '../../state/use-answer';
import { CodeView } from './code-view';
import { Files } from './files';
import { MadeHere } from './made-here';
import { editorLink, type Spot, shownSpot } from './shown';
import { Stack } from './stack';
import './source.css';

/** The margin counts what each line computed: it is asked for again at most so often. */
const GROWTH_MS = 3000;

export function SourcePanel() {
  const here = place.value;
  const asked = where.value;
  const traced = here.event === undefined ? chosenFinding.value : chosen.value;
  // A program that has just begun has recorded none yet, and later more lines compute something.
  const [none, setNone] = useState(true);
  const growth = useGrowth(GROWTH_MS);
  const sources = useAnswer(
    (signal) => answers.sources(asked, signal),
    [asked, running.value],
    none ? live.value?.revision : growth,
  );
  const first = sources.answer?.files.find(({ user }) => user);
  useEffect(() => setNone(!first), [first]);
  const spot = shownSpot(here, traced) ?? (first && { file: first.file, line: undefined });
  const { answer, problem, busy } = useAnswer(
    spot && ((signal) => answers.source(asked, spot.file, signal)),
    [asked, spot?.file, running.value],
    growth,
  );
  const source = answer?.file === spot?.file ? answer : undefined;
  return (
    <Panel
      name="source"
      title="Source"
      head={spot ? <Head spot={spot} files={<Files list={sources.answer} shown={spot.file} />} /> : null}
      problem={busy ? '' : problem || sources.problem}
      busy={busy}
    >
      <div class="source">
        <Stack stack={traced?.stack ?? []} spot={spot} />
        <div class="source-code">
          {source?.changed ? (
            <p class="source-changed">
              {fileName(source.file)} has changed since, or is gone; this is what the program ran.
            </p>
          ) : null}
          {source ? <CodeView source={source} line={spot?.line} /> : null}
          {!spot && sources.answer ? (
            <Nothing>
              {running.value
                ? 'No source of the program was recorded yet.'
                : 'The trace holds no source of the program.'}
            </Nothing>
          ) : null}
          {source && spot?.line !== undefined ? (
            <MadeHere margins={source.margins} spot={spot} line={spot.line} />
          ) : null}
        </div>
      </div>
    </Panel>
  );
}

function Head({ spot, files }: { readonly spot: Spot; readonly files: ComponentChildren }) {
  const template = overview.value?.editor ?? '';
  const stays = place.value.pin !== '';
  return (
    <>
      {files}
      <button
        type="button"
        aria-pressed={stays}
        title="Keep this file open while going from event to event: show where each came through it"
        onClick={() => go({ pin: stays ? '' : spot.file }, 'replace')}
      >
        Pin
      </button>
      {template ? (
        <a class="source-editor" href={editorLink(template, spot)} title={`${spot.file}:${spot.line ?? 1}`}>
          Open in editor
        </a>
      ) : null}
    </>
  );
}
