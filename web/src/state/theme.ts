/** Light or dark: as the system has it, or the TensorBoard around the page, until somebody chooses. */
import { effect, signal } from '@preact/signals';
import { keep, kept } from './kept';
import { boardIsDark } from './tensorboard';

export type Theme = 'system' | 'light' | 'dark';

export const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

export const theme = signal<Theme>('system');

/** Takes up the last choice, and keeps the document and the browser's memory with it from now on. */
export function keepTheme(): void {
  theme.value = THEMES.find((each) => each === kept('theme')) ?? 'system';
  effect(() => {
    const { documentElement } = document;
    const shown = shownTheme();
    if (shown === 'system') delete documentElement.dataset.theme;
    else documentElement.dataset.theme = shown;
    keep('theme', theme.value === 'system' ? undefined : theme.value);
  });
}

/** Whether the page is dark now. */
export function isDark(): boolean {
  const shown = shownTheme();
  return shown === 'dark' || (shown === 'system' && matchMedia('(prefers-color-scheme: dark)').matches);
}

function shownTheme(): Theme {
  if (theme.value !== 'system' || boardIsDark.value === undefined) return theme.value;
  return boardIsDark.value ? 'dark' : 'light';
}
