/** The reader of code as a component. */
import { useEffect, useRef } from 'preact/hooks';
import type { SourceView } from '../../api/types';
import { origins } from '../../state/origins';
import { go } from '../../state/store';
import { Code } from './code';
import { foremost } from './shown';

interface CodeViewProps {
  readonly source: SourceView;
  readonly line: number | undefined;
}

export function CodeView({ source, line }: CodeViewProps) {
  const room = useRef<HTMLDivElement>(null);
  const code = useRef<Code>(undefined);
  const file = useRef(source.file);
  file.current = source.file;

  useEffect(() => {
    if (!room.current) return undefined;
    const made = new Code(room.current, {
      onMargin: (margin) => {
        const event = foremost(margin)?.event ?? undefined;
        go({ file: file.current, line: margin.line, ...(event === undefined ? {} : { event }) });
      },
      onLine: (chosen) => go({ file: file.current, line: chosen }, 'replace'),
    });
    code.current = made;
    return () => made.destroy();
  }, []);
  useEffect(() => code.current?.show(source.text, source.file), [source.text, source.file]);
  const { lines } = origins.value;
  useEffect(() => {
    const began = source.margins.filter((margin) => lines.has(`${source.file}:${margin.line}`));
    code.current?.annotate(source.margins, new Set(began.map((margin) => margin.line)));
  }, [source, lines]);
  useEffect(() => code.current?.choose(line), [source.text, source.file, line]);
  return <div ref={room} class="code" />;
}
