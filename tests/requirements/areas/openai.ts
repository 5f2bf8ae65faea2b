import { requirements } from "../requirement.ts";

/** What the openai part promises. */
export const openaiRequirements = requirements({
  "exa-api 9": {
    "openai:chat:answers-last-message": "/chat/completions answers the last message",
    "openai:chat:models": "models exa, exa-pro and the research models are accepted",
    "openai:chat:stream": "stream is supported",
    "openai:chat:citations": "the message carries its citations",
    "openai:chat:text": "extra_body text adds the full text",
    "openai:responses:create": "/responses answers input as string or message list",
    "openai:responses:get-and-cancel": "a response can be read and cancelled by its id",
    "openai:responses:background": "background answers at once and runs on",
    "openai:responses:json-schema": "text.format json_schema is honoured",
    "openai:responses:previous": "previous_response_id continues a conversation",
    "openai:responses:stream": "/responses streams",
  },
});
