/** Which findings are shown, and under which heading. */
import type { Finding } from '../../api/types';

export interface Level {
  readonly name: string;
  readonly title: string;
  /** Stands before the words, so that colour is not all. */
  readonly sign: string;
  /** Whether its findings are folded away until one asks for them. */
  readonly folded: boolean;
}

/** The levels, what matters most first. */
export const LEVELS: readonly Level[] = [
  { name: 'trouble', title: 'Problems', sign: '✕', folded: false },
  { name: 'warning', title: 'Warnings', sign: '▲', folded: false },
  { name: 'harmless', title: 'Harmless', sign: '○', folded: true },
  { name: 'note', title: 'Notes', sign: 'i', folded: true },
];

export interface Group {
  readonly level: Level;
  readonly findings: readonly Finding[];
}

/** The findings that fit, level by level; levels without any are left out. */
export function grouped(findings: readonly Finding[], filter: string, levels: readonly string[]): readonly Group[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (finding: Finding): boolean => {
    const text = textOf(finding);
    return words.every((word) => text.includes(word));
  };
  return LEVELS.flatMap((level) => {
    const there = findings.filter((each) => each.level === level.name && fits(each));
    return there.length && (!levels.length || levels.includes(level.name)) ? [{ level, findings: there }] : [];
  });
}

/** How many findings there are of each level. */
export function countLevels(findings: readonly Finding[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { level } of findings) counts.set(level, (counts.get(level) ?? 0) + 1);
  return counts;
}

/** The levels shown after a click on one: from all to that one, then more of them, and with none back to all. */
export function toggled(levels: readonly string[], name: string): readonly string[] {
  return levels.includes(name) ? levels.filter((each) => each !== name) : [...levels, name];
}

function textOf(finding: Finding): string {
  const { kind, cause, title, explanation, function: name, process, event, source, also } = finding;
  return [kind, cause, title, explanation, name, process, event?.tensor, source?.file, ...also].join(' ').toLowerCase();
}
