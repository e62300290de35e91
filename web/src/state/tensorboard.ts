/** The TensorBoard in whose tab the page is, if it is in one. */
import { signal } from '@preact/signals';

/** Whether it is dark; undefined where there is none. */
export const boardIsDark = signal<boolean | undefined>(undefined);

/** Follows its switch from now on. */
export function followTensorBoard(): void {
  const body = boardBody();
  if (!body) return;
  const look = (): void => {
    boardIsDark.value = body.classList.contains('dark-mode');
  };
  new MutationObserver(look).observe(body, { attributeFilter: ['class'] });
  look();
}

/** A page of another place around this one, as a notebook's, may not be looked into. */
function boardBody(): HTMLElement | undefined {
  if (window.parent === window) return undefined;
  try {
    const { document } = window.parent;
    return document.querySelector('tb-webapp') ? document.body : undefined;
  } catch {
    return undefined;
  }
}
