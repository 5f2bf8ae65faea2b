/** How much a client of the proxy may take. */
export interface ProxyLimits {
  readonly maxClients: number;
  /** The body of one plain request. */
  readonly maxRequestBytes: number;
  /** Both directions of one tunnel together. */
  readonly maxTunnelBytes: number;
  /** The longest silence in a tunnel. */
  readonly tunnelIdleMs: number;
  /** The whole life of a tunnel. */
  readonly tunnelTotalMs: number;
}

/** The limits of a proxy that names none: right for one page in a browser. */
export const DEFAULT_PROXY_LIMITS: ProxyLimits = {
  maxClients: 256,
  maxRequestBytes: 4 * 1024 * 1024,
  maxTunnelBytes: 64 * 1024 * 1024,
  tunnelIdleMs: 30_000,
  tunnelTotalMs: 120_000,
};
