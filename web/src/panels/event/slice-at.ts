/** Where an element is found in a tensor of many dimensions. */

/** The slice of at most two dimensions that holds an element; empty where the tensor has no more. */
export function sliceAt(index: readonly number[]): string {
  if (index.length <= 2) return '';
  return `[${[...index.slice(0, -2), ':', ':'].join(', ')}]`;
}
