/** The files that the trace holds, to choose one; the user's own come first. */
import type { SourceList } from '../../api/types';
import { fileName } from '../../parts/file-name';
import { count } from '../../parts/numbers';
import { go } from '../../state/store';

interface FilesProps {
  readonly list: SourceList | undefined;
  readonly shown: string;
}

type File = SourceList['files'][number];

export function Files({ list, shown }: FilesProps) {
  const files = list?.files ?? [];
  const known = files.some(({ file }) => file === shown);
  const [own, others] = [files.filter(({ user }) => user), files.filter(({ user }) => !user)];
  return (
    <select
      class="source-files"
      aria-label="File"
      title={shown}
      value={shown}
      onChange={(event) => go({ file: event.currentTarget.value, line: undefined })}
    >
      {known ? null : <option value={shown}>{fileName(shown)}</option>}
      <Group label="The program's own" files={own} />
      <Group label="Libraries" files={others} />
    </select>
  );
}

function Group({ label, files }: { readonly label: string; readonly files: readonly File[] }) {
  if (!files.length) return null;
  return (
    <optgroup label={label}>
      {files.map(({ file, operations, non_finite: bad }) => (
        <option key={file} value={file}>
          {nameOf(file, files)}
          {operations ? ` (${count(operations)} operations${bad ? `, ✕ ${count(bad)} not finite` : ''})` : ''}
        </option>
      ))}
    </optgroup>
  );
}

/** The last part of the path, and the folder where another file has the same name. */
function nameOf(file: string, all: readonly File[]): string {
  const name = fileName(file);
  if (all.filter((other) => fileName(other.file) === name).length < 2) return name;
  return file.split(/[\\/]/).slice(-3).join('/');
}
