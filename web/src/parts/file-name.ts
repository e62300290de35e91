/** The last part of a path, of any system. */
export function fileName(path: string): string {
  return path.split(/[\\/]/).at(-1) || path;
}
