import type { ReactNode } from "react";
import { formatDuration, formatNumber } from "../../ui/format.ts";
import type { TreePlan, TreeStep, TreeTask } from "./research-tree.ts";
import { say } from "../../words/say.ts";

/** What a run has done: its plans, the tasks of each, and the steps of each task, with times and tokens read. */
export function ResearchTreeView({ plans }: { readonly plans: readonly TreePlan[] }): ReactNode {
  if (plans.length === 0) return <p className="soft">{say("research.noStepHasBeenTaken")}</p>;
  return (
    <ol className="run-tree" aria-label={say("research.steps")}>
      {plans.map((plan, index) => (
        <li key={plan.id}>
          <div className="row spread">
            <strong>{plan.isStop ? say("research.enoughWasFound") : say("research.plan", { index: index + 1 })}</strong>
            <span className="small soft number">{formatDuration(plan.ms)}</span>
          </div>
          {plan.reasoning === undefined ? null : <p className="soft wrap">{plan.reasoning}</p>}
          <Steps steps={plan.steps} />
          {plan.tasks.length === 0 ? null : (
            <ol className="run-tree">
              {plan.tasks.map((task) => (
                <TaskView key={task.id} task={task} />
              ))}
            </ol>
          )}
        </li>
      ))}
    </ol>
  );
}

function TaskView({ task }: { readonly task: TreeTask }): ReactNode {
  return (
    <li>
      <div className="row spread">
        <strong className="wrap">{task.instructions}</strong>
        <span className="small soft number">
          {task.content === undefined
            ? say("research.underWay")
            : say("research.doneIn", { ms: formatDuration(task.ms) })}
        </span>
      </div>
      <Steps steps={task.steps} />
    </li>
  );
}

function Steps({ steps }: { readonly steps: readonly TreeStep[] }): ReactNode {
  if (steps.length === 0) return null;
  return (
    <ul className="run-steps small">
      {steps.map(({ id, data, ms }) => (
        <li key={id}>
          <span className="badge plain">{data.type === "crawl" ? say("research.read") : data.type}</span>
          <span className="wrap grow run-what">
            {data.type === "search" ? data.query : data.type === "crawl" ? data.result.url : data.content}
          </span>
          <span className="soft number">
            {data.type === "search" ? say("research.found", { count: data.results.length }) : ""}
            {data.type === "think" ? "" : say("research.tokens", { pageTokens: formatNumber(data.pageTokens) })}
            {formatDuration(ms)}
          </span>
        </li>
      ))}
    </ul>
  );
}
