import { requirements } from "../requirement.ts";

/** What the team management part promises. */
export const teamManagementRequirements = requirements({
  "exa-api 10": {
    "team-management:create:fields": "POST /team-management/api-keys takes name, rateLimit and budgetCents",
    "team-management:create:unknown-keys": "other keys in the body are a 400 that lists the allowed ones",
    "team-management:create:secret-once": "the create reply carries apiKey.key, once",
    "team-management:list:all": "GET api-keys lists the team's keys",
    "team-management:list:by-id": "GET api-keys with api_key_id, or by path, gives that key",
    "team-management:update:put": "PUT api-keys/{id} changes name, rateLimit and budgetCents and gives updatedAt",
    "team-management:delete:success": "DELETE api-keys/{id} answers success true",
    "team-management:usage:period": "usage of a key takes start_date, end_date and group_by and defaults to 30 days",
    "team-management:usage:limit-180-days": "a usage period further back than 180 days is a 400",
    "team-management:rotate:new-secret": "rotate gives a new secret while the old one works until it is revoked",
    "team-management:errors:shape": "its errors are an object with one error string",
    "team-management:errors:other-team": "a key of another team is not reachable",
    "team-management:service-key:needed": "these routes need a key with the scope to manage keys",
  },
});
