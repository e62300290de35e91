/** Light or dark: as the system has it, until somebody chooses. */
import { effect, signal } from '@preact/signals';
import { keep, kept } from './kept';

export type Theme = 'system' | 'light' | 'dark';

export const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

export const theme = signal<Theme>('system');

/** Takes up the last choice, and keeps the document and the browser's memory with it from now on. */
export function keepTheme(): void {
  theme.value = THEMES.find((each) => each === kept('theme')) ?? 'system';
  effect(() => {
    const { documentElement } = document;
    if (theme.value === 'system') delete documentElement.dataset.theme;
    else documentElement.dataset.theme = theme.value;
    keep('theme', theme.value === 'system' ? undefined : theme.value);
  });
}

/** Whether the page is dark now. */
export function isDark(): boolean {
  return theme.value === 'dark' || (theme.value === 'system' && matchMedia('(prefers-color-scheme: dark)').matches);
}
