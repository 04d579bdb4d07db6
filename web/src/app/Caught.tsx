// An error boundary: shows an error of its content in its place; the rest of the app stays.

import { Component, type ReactNode } from "react";
import { Problem } from "../api";
import { Failure } from "../ui";
import { spoken, texts } from "./language";
import { forgetUnseen } from "./resource";
import { isUnloaded } from "./unloaded";

const words = texts({
  broken: [
    (why: string) => `This part of the app failed: ${why}`,
    (why: string) => `Dieser Teil der App ist gescheitert: ${why}`,
  ],
});

export class Caught extends Component<{ children: ReactNode; onRetry(): void }, { error: unknown }> {
  override state: { error: unknown } = { error: undefined };
  static getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error };
  }
  // The cause may be a wrong answer of the service: the next attempt must not use it again.
  override componentWillUnmount(): void {
    if (this.state.error !== undefined) forgetUnseen();
  }
  private retry = (): void => {
    if (isUnloaded(this.state.error)) return location.reload();
    forgetUnseen();
    this.props.onRetry();
    this.setState({ error: undefined });
  };
  override render(): ReactNode {
    if (this.state.error === undefined) return this.props.children;
    const { error } = this.state;
    const shown = error instanceof Problem ? error : new Error(spoken(words).broken(String(error)));
    return <Failure error={shown} retry={this.retry} />;
  }
}
