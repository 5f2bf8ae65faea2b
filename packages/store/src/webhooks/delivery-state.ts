/**
 * Where a delivery stands. One is open in the first three states; among the open ones of a
 * webhook and a resource only the first may be sent, so that they arrive in the order of the log.
 *
 * - `waiting`: to be sent when it is due, if it is the first. A new one, and one to be tried again.
 * - `behind`: was found due while an earlier one was open. Becomes `waiting` when that is done with.
 * - `sending`: leased by a sender. A sender that dies loses the lease: `waiting` again.
 * - `delivered`: the receiver said yes.
 * - `dead`: given up, after the last try or because the receiver is gone. A replay makes it `waiting`.
 */
export type DeliveryState = "waiting" | "behind" | "sending" | "delivered" | "dead";

/** Every state, in the order above. */
export const DELIVERY_STATES = ["waiting", "behind", "sending", "delivered", "dead"] as const;
