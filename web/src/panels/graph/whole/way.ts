/**
 * The way that what is not finite took, from where it began to the loss: through the forward pass, as far as it goes. It
 * is drawn first, straight down, and the rest around it.
 */
import type { BoxView, BundleView, NodeView, WholeView } from '../../../api/types';

export interface Way {
  /** Operations and boxes on it, box by box in the order in which they are passed. */
  readonly things: ReadonlySet<string>;
  readonly bundles: ReadonlySet<BundleView>;
  /** With what leads to where it begins: all that stands below one another. */
  readonly trunk: ReadonlySet<string>;
  /** The bundles from one of these to the next. */
  readonly joints: ReadonlySet<BundleView>;
}

/** The way of the chosen origin, or of the one that goes furthest; nothing where the function has none. */
export function wayOf(view: WholeView): Way {
  const found = new Finding(view);
  found.passThrough('', false);
  return found;
}

class Finding implements Way {
  readonly things = new Set<string>();
  readonly bundles = new Set<BundleView>();
  readonly trunk = new Set<string>();
  readonly joints = new Set<BundleView>();
  private readonly boxes: ReadonlyMap<string, BoxView>;
  private readonly nodes: ReadonlyMap<string, NodeView>;
  private readonly aroundCentre = new Set<string>();

  constructor(private readonly view: WholeView) {
    this.boxes = new Map(view.boxes.map((each) => [each.box, each]));
    this.nodes = new Map(view.nodes.map((each) => [each.node, each]));
    for (let at = view.centre; at; at = this.thing(at)?.inside ?? '') this.aroundCentre.add(at);
  }

  /** Finds the way through what is in a box; `onward` says that it leaves the box again. */
  passThrough(box: string, onward: boolean): void {
    const flows = this.view.bundles.filter((each) => each.box === box && each.bad);
    const starts = this.startsIn(box, flows);
    const leaving = new Set(flows.filter(({ target }) => !target).map(({ source }) => source));
    const ends = onward && leaving.size ? leaving : undefined;
    const steps = longest(starts, this.forward(flows, starts), ends);
    for (const [index, thing] of steps.things.entries()) {
      this.things.add(thing);
      const last = index === steps.things.length - 1;
      if (this.boxes.get(thing)?.opened) this.passThrough(thing, !last || onward);
    }
    for (const each of steps.bundles) this.bundles.add(each);
    this.leadTo(box, steps);
  }

  /** Adds what was computed on the longest way to the first thing. */
  private leadTo(box: string, steps: Steps): void {
    const backwards = this.view.bundles.flatMap((each) =>
      each.box === box && each.source && each.target && !steps.things.includes(each.source) ? [turned(each)] : [],
    );
    const lead = longest(steps.things.slice(0, 1), this.forward(backwards, steps.things), undefined);
    for (const each of [...lead.things, ...steps.things]) this.trunk.add(each);
    for (const each of [...lead.bundles.map(turned), ...steps.bundles]) this.joints.add(this.own(each));
  }

  /** The bundle of the view itself. */
  private own(bundle: BundleView): BundleView {
    const same = (each: BundleView): boolean => each.source === bundle.source && each.target === bundle.target;
    return this.view.bundles.find((each) => each === bundle || (each.box === bundle.box && same(each))) ?? bundle;
  }

  /** Where the trouble began, or else where it comes in; of several origins the chosen one. */
  private startsIn(box: string, flows: readonly BundleView[]): readonly string[] {
    const here = [...this.boxes.values(), ...this.nodes.values()].filter((each) => each.inside === box);
    const origins = here.filter(({ origin }) => origin).map(idOf);
    const chosen = origins.filter((each) => this.aroundCentre.has(each));
    if (chosen.length) return chosen;
    if (origins.length) return origins;
    return box ? flows.filter(({ source, target }) => !source && target).map(({ target }) => target) : [];
  }

  /** The bundles along which it may go: the backward pass comes after the loss, unless the trouble began in it. */
  private forward(flows: readonly BundleView[], starts: readonly string[]): readonly BundleView[] {
    const backward = (thing: string): boolean => this.thing(thing)?.secondary === 'backward';
    const inside = flows.filter(({ source, target }) => source && target);
    if (starts.some(backward)) return inside;
    return inside.filter(({ source, target }) => !backward(source) && !backward(target));
  }

  private thing(id: string): BoxView | NodeView | undefined {
    return this.boxes.get(id) ?? this.nodes.get(id);
  }
}

function turned(bundle: BundleView): BundleView {
  return { ...bundle, source: bundle.target, target: bundle.source };
}

function idOf(thing: BoxView | NodeView): string {
  return 'box' in thing ? thing.box : thing.node;
}

interface Steps {
  readonly things: readonly string[];
  readonly bundles: readonly BundleView[];
}

/** The longest way from one of some things along bundles, to one of the ends where there are any that it can come to. */
function longest(
  starts: readonly string[],
  flows: readonly BundleView[],
  ends: ReadonlySet<string> | undefined,
): Steps {
  const after = new Map<string, BundleView[]>();
  for (const each of flows) after.set(each.source, [...(after.get(each.source) ?? []), each]);
  const known = new Map<string, Steps>();
  const under = new Set<string>();
  const from = (thing: string): Steps => {
    const found = known.get(thing);
    if (found) return found;
    under.add(thing);
    let best: Steps = { things: [thing], bundles: [] };
    for (const each of after.get(thing) ?? []) {
      // Boxes may go round in a circle.
      if (under.has(each.target)) continue;
      const rest = from(each.target);
      if (better(rest.things, best.things.slice(1), ends)) {
        best = { things: [thing, ...rest.things], bundles: [each, ...rest.bundles] };
      }
    }
    under.delete(thing);
    known.set(thing, best);
    return best;
  };
  return starts.map(from).reduce<Steps>((best, each) => (better(each.things, best.things, ends) ? each : best), {
    things: [],
    bundles: [],
  });
}

function better(one: readonly string[], other: readonly string[], ends: ReadonlySet<string> | undefined): boolean {
  const arrives = (things: readonly string[]): number => (ends?.has(things.at(-1) ?? '') ? 1 : 0);
  return arrives(one) !== arrives(other) ? arrives(one) > arrives(other) : one.length > other.length;
}
