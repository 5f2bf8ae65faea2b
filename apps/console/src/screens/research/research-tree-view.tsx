import type { ReactNode } from "react";
import { formatDuration, formatNumber } from "../../ui/format.ts";
import type { TreePlan, TreeStep, TreeTask } from "./research-tree.ts";

/** What a run has done: its plans, the tasks of each, and the steps of each task, with times and tokens read. */
export function ResearchTreeView({ plans }: { readonly plans: readonly TreePlan[] }): ReactNode {
  if (plans.length === 0) return <p className="soft">No step has been taken yet.</p>;
  return (
    <ol className="run-tree" aria-label="Steps">
      {plans.map((plan, index) => (
        <li key={plan.id}>
          <div className="row spread">
            <strong>{plan.isStop ? "Enough was found" : `Plan ${index + 1}`}</strong>
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
          {task.content === undefined ? "under way" : `done in ${formatDuration(task.ms)}`}
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
          <span className="badge plain">{data.type === "crawl" ? "read" : data.type}</span>
          <span className="wrap grow">
            {data.type === "search" ? data.query : data.type === "crawl" ? data.result.url : data.content}
          </span>
          <span className="soft number">
            {data.type === "search" ? `${data.results.length} found · ` : ""}
            {data.type === "think" ? "" : `${formatNumber(data.pageTokens)} tokens · `}
            {formatDuration(ms)}
          </span>
        </li>
      ))}
    </ul>
  );
}
