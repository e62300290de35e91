/** A sentence in which code stands between backquotes. */
export function Prose({ text }: { readonly text: string }) {
  return (
    <>
      {text
        .split(/(`[^`]+`)/)
        .map((part) => (/^`.+`$/.test(part) ? <code key={part}>{part.slice(1, -1)}</code> : part))}
    </>
  );
}
