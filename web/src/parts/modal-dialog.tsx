/** A dialog over the page, shown as long as a signal says so; Escape, a click beside it and the signal close it. */
import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

interface Props {
  readonly shown: Signal<boolean>;
  readonly class: string;
  readonly 'aria-label'?: string;
  readonly 'aria-labelledby'?: string;
  readonly children: ComponentChildren;
}

export function ModalDialog({ shown, children, ...attributes }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const open = shown.value;
  useLayoutEffect(() => {
    if (open) dialog.current?.showModal();
    else dialog.current?.close();
  }, [open]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it too.
    <dialog
      ref={dialog}
      {...attributes}
      onClose={() => {
        // The browser tells late that it was closed: it may have been opened again since.
        if (!dialog.current?.open) shown.value = false;
      }}
      onClick={(event) => {
        if (event.target === dialog.current) shown.value = false;
      }}
    >
      {children}
    </dialog>
  );
}
