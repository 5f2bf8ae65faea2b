/** Words that stand in every text: marked, they would only hide the telling ones. */
export const SMALL_WORDS: ReadonlySet<string> = new Set(
  (
    "and are but can did does for from had has have how its not that the their them then there these they this was were what when " +
    "where which who whom whose why will with would you your " +
    "das dem den der des die ein eine für ist mit nicht und von was wer wie zum zur " +
    "aux avec dans des est les pas pour que qui sont sur une " +
    "con cómo del las los para por qué son una"
  ).split(" "),
);
