/** Keeps a fault of one panel from taking the page along. */
import { Component, type ComponentChildren } from 'preact';

interface GuardProps {
  /** What would be missing, for the sentence. */
  readonly what: string;
  readonly children?: ComponentChildren;
}

export class Guard extends Component<GuardProps, { readonly fault: string }> {
  override state = { fault: '' };

  override componentDidCatch(error: unknown): void {
    console.error(error);
    this.setState({ fault: String(error) });
  }

  override render() {
    if (!this.state.fault) return this.props.children;
    return (
      <div class="panel-problem" role="alert">
        <p>
          {this.props.what} can't be drawn: {this.state.fault}. This is a fault of tensordbg.
        </p>
        <button type="button" onClick={() => this.setState({ fault: '' })}>
          Try again
        </button>
      </div>
    );
  }
}
