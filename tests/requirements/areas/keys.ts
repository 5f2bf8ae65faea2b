import { requirements } from "../requirement.ts";

/** What the keys part promises. */
export const keysRequirements = requirements({
  "issue 2 point 7": {
    "keys:first-start:team-and-key": "the first start makes a team and an API key",
    "keys:storage:hashed": "only a hash of a key is stored",
    "keys:storage:constant-time": "keys are compared in constant time",
    "keys:fields:name": "a key carries a name",
    "keys:fields:scopes": "a key carries scopes, and a call outside them is refused",
    "keys:fields:last-used": "a key shows when it was last used",
    "keys:fields:expiry": "an expired key is refused",
    "keys:lifecycle:create": "a new key is shown once in the reply that makes it",
    "keys:lifecycle:list-without-secret": "listing keys never shows a secret",
    "keys:lifecycle:rotate": "rotating a key gives a new secret and ends the old one",
    "keys:lifecycle:revoke": "a revoked key is refused at once",
    "keys:routes:quarry-v1-keys": "/quarry/v1/keys creates, lists, rotates and revokes keys",
    "keys:budget:exceeded": "a key over its budget gets 402 API_KEY_BUDGET_EXCEEDED",
    "keys:budget:reset-or-raised": "raising the budget lets the key work again",
    "keys:last-key:kept": "the last key that may manage keys cannot be revoked by mistake without a clear warning",
  },
});
