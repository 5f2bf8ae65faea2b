import type { JsonObject } from "@bufbuild/protobuf";
import { AppError } from "@quarry/base";
import { ClientSideToolV2 } from "@quarry/contract";
import { getToolSession } from "@quarry/store";
import type { GivenWords, Tool, ToolContext } from "../../tool.ts";
import { objectsOf, stateTool, type StateDeps } from "../state-tool.ts";
import { failureText, textOf, textsOf } from "../workspace-tool.ts";

/** Marks the call that asks for one that did not wait. */
const LATER = "answers-of:";
/** A person may take their time; the question itself expires by its own limit. */
const RUN_MS = 10_000;

/** aiserver.v1 AskQuestion: questions for the person, answered where approvals are. */
export function askQuestionTool(deps: Pick<StateDeps, "db" | "startCall">): Tool {
  return stateTool({
    name: "ask_question",
    clientTool: ClientSideToolV2.ASK_QUESTION,
    title: "Ask the person",
    description:
      "Asks the person one to four questions with options. With runAsync it does not wait: the answers come as a message later.",
    messages: "AskQuestion",
    properties: {
      title: { type: "string", maxLength: 500, description: "Stands above the questions" },
      questions: {
        type: "array",
        minItems: 1,
        maxItems: 4,
        items: {
          type: "object",
          required: ["id", "prompt", "options"],
          properties: {
            id: { type: "string", minLength: 1 },
            prompt: { type: "string", minLength: 1, maxLength: 4_000 },
            allowMultiple: { type: "boolean", description: "Several options may be chosen" },
            options: {
              type: "array",
              minItems: 2,
              maxItems: 6,
              items: {
                type: "object",
                required: ["id", "label"],
                properties: { id: { type: "string", minLength: 1 }, label: { type: "string", minLength: 1 } },
              },
            },
          },
        },
      },
      runAsync: { type: "boolean", description: "Do not wait for the answers" },
    },
    required: ["questions"],
    runMs: RUN_MS,
    query: {
      type: "ask-question-request",
      queryCase: "askQuestionInteractionQuery",
      responseCase: "askQuestionInteractionResponse",
      toQuery: (args, toolCallId) => ({
        toolCallId,
        args: {
          ...args,
          ...(toolCallId.startsWith(LATER) ? { asyncOriginalToolCallId: toolCallId.slice(LATER.length) } : {}),
        },
      }),
    },
    look: (args) => {
      checkIds(args);
      if (args["runAsync"] === true) return Promise.resolve({});
      return Promise.resolve({ alwaysAsk: [textOf(args, "title") || "the agent has a question"], diff: toText(args) });
    },
    run: async (args, context) => {
      if (args["runAsync"] !== true) return { answers: [...objectsOf(args, "answers")] };
      await askLater(deps, args, context);
      return { isAsync: true };
    },
    takeAnswer: ({ args, toolCallId }, given) => {
      const answers = readAnswers(args, given);
      const isLater = toolCallId.startsWith(LATER);
      return { args: { ...args, answers: [...answers] }, ...(isLater ? { message: messageOf(args, answers) } : {}) };
    },
    agent: {
      member: "askQuestionToolCall",
      fromArgs: ({ title = "", questions = [], runAsync = false }) => ({ title, questions, runAsync }),
      toResult: (_, outcome) => {
        if (outcome.kind === "rejected") return { rejected: { reason: outcome.reason } };
        if (outcome.kind !== "succeeded") return { error: { errorMessage: failureText(outcome) } };
        if (outcome.result["isAsync"] === true) return { async: {} };
        return { success: { answers: [...objectsOf(outcome.result, "answers")] } };
      },
    },
  });
}

/** Asks by a call of its own, which is kept and waits as any other; its answer is told to the session's agent. */
async function askLater(
  deps: Pick<StateDeps, "db" | "startCall">,
  args: JsonObject,
  { teamId, session, toolCallId, caller = "" }: ToolContext,
): Promise<void> {
  const asked = { ...args, runAsync: false };
  const live = deps.startCall({
    caller: { teamId, name: caller },
    session: await getToolSession(deps.db, teamId, session.id),
    toolCallId: `${LATER}${toolCallId}`,
    given: {
      clientTool: ClientSideToolV2.UNSPECIFIED,
      name: "ask_question",
      params: undefined,
      rawArgs: JSON.stringify(asked),
    },
    isInternal: false,
    timeoutMs: undefined,
  });
  // Once the question stands in the inbox it outlives this process.
  for await (const event of live.follow(AbortSignal.timeout(RUN_MS))) {
    if (event.kind === "approval-needed") return;
  }
}

function checkIds(args: JsonObject): void {
  const questions = objectsOf(args, "questions");
  const lists = [questions, ...questions.map((question) => objectsOf(question, "options"))];
  for (const list of lists) {
    const ids = list.map((each) => textOf(each, "id"));
    const twice = ids.find((id, index) => ids.indexOf(id) !== index);
    if (twice !== undefined) throw new AppError("invalid_request", `questions: the id ${twice} stands there twice`);
  }
}

/** What a person chose. Words without a choice answer the first question freely. */
function readAnswers(args: JsonObject, given: GivenWords): readonly JsonObject[] {
  const questions = objectsOf(args, "questions");
  const answers = objectsOf(given.args ?? {}, "answers");
  if (answers.length === 0) {
    const [first] = questions;
    if (given.reason === "" || first === undefined) {
      throw new AppError(
        "invalid_request",
        'args.answers: choose options, as [{"questionId","selectedOptionIds","freeformText"}], or write a reason',
      );
    }
    return [{ questionId: textOf(first, "id"), selectedOptionIds: [], freeformText: given.reason }];
  }
  return answers.map((answer) => readAnswer(questions, answer));
}

function readAnswer(questions: readonly JsonObject[], answer: JsonObject): JsonObject {
  const questionId = textOf(answer, "questionId");
  const question = questions.find((each) => textOf(each, "id") === questionId);
  if (question === undefined) {
    const ids = questions.map((each) => textOf(each, "id")).join(", ");
    throw new AppError("invalid_request", `args.answers: there is no question ${questionId}; there are ${ids}`);
  }
  const chosen = textsOf(answer, "selectedOptionIds");
  const options = objectsOf(question, "options").map((option) => textOf(option, "id"));
  const unknown = chosen.find((id) => !options.includes(id));
  if (unknown !== undefined) {
    throw new AppError(
      "invalid_request",
      `args.answers: ${questionId} has no option ${unknown}; it has ${options.join(", ")}`,
    );
  }
  if (chosen.length > 1 && question["allowMultiple"] !== true) {
    throw new AppError("invalid_request", `args.answers: ${questionId} takes one option`);
  }
  const freeformText = textOf(answer, "freeformText");
  if (chosen.length === 0 && freeformText === "") {
    throw new AppError("invalid_request", `args.answers: ${questionId} needs an option or freeformText`);
  }
  return { questionId, selectedOptionIds: [...chosen], ...(freeformText === "" ? {} : { freeformText }) };
}

function messageOf(args: JsonObject, answers: readonly JsonObject[]): string {
  const questions = objectsOf(args, "questions");
  const lines = answers.map((answer) => {
    const question = questions.find((each) => textOf(each, "id") === textOf(answer, "questionId")) ?? {};
    const options = objectsOf(question, "options");
    const labels = textsOf(answer, "selectedOptionIds").map(
      (id) => textOf(options.find((option) => textOf(option, "id") === id) ?? {}, "label") || id,
    );
    return `${textOf(question, "prompt")} ${[...labels, textOf(answer, "freeformText")].filter((part) => part !== "").join("; ")}`;
  });
  return ["The person answered your questions.", ...lines].join("\n");
}

function toText(args: JsonObject): string {
  return objectsOf(args, "questions")
    .map((question) => {
      const options = objectsOf(question, "options").map(
        (option) => `  ${textOf(option, "id")}: ${textOf(option, "label")}`,
      );
      const many = question["allowMultiple"] === true ? " (several)" : "";
      return [`${textOf(question, "id")}: ${textOf(question, "prompt")}${many}`, ...options].join("\n");
    })
    .join("\n");
}
