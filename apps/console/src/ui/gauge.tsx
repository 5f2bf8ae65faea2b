import type { ReactNode } from "react";

const RADIUS = 15;
const HALF_CIRCLE = Math.PI * RADIUS;

/** A share from nothing to all, as a half circle that fills. */
export function Gauge(props: { readonly share: number; readonly label: string; readonly words: string }): ReactNode {
  const { share } = props;
  const arc = `M ${20 - RADIUS} 19 A ${RADIUS} ${RADIUS} 0 0 1 ${20 + RADIUS} 19`;
  return (
    <span
      role="meter"
      className="gauge"
      aria-label={props.label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(share * 100)}
      aria-valuetext={props.words}
    >
      <svg viewBox="0 0 40 22" aria-hidden="true">
        <path className="gauge-track" d={arc} />
        <path className="gauge-fill" d={arc} strokeDasharray={`${share * HALF_CIRCLE} ${HALF_CIRCLE}`} />
      </svg>
    </span>
  );
}
