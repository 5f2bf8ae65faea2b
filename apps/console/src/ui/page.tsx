import { useEffect, type ReactNode } from "react";
import { say } from "../words/say.ts";

/** A screen: its title (also the window's), a sentence, its main actions, and what it shows. */
export function Page(props: {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}): ReactNode {
  const { title } = props;
  useEffect(() => {
    document.title = say("ui.quarry", { title });
  }, [title]);
  return (
    <div className="page">
      <header className="page-head">
        <div className="grow">
          <h1 className="wrap">{title}</h1>
          {props.lead === undefined ? null : <p>{props.lead}</p>}
        </div>
        {props.actions === undefined ? null : <div className="row">{props.actions}</div>}
      </header>
      {props.children}
    </div>
  );
}
