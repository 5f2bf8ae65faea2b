/** The part of picomatch that is used here; the package carries no types. */
declare module "picomatch" {
  interface Options {
    readonly dot?: boolean;
    readonly nocase?: boolean;
  }
  // eslint-disable-next-line no-restricted-syntax -- the package's own form
  export default function picomatch(glob: string | readonly string[], options?: Options): (path: string) => boolean;
}
