/** Whether a lower-case word is too common in a language to say what a query is about. */
export function isStopWord(word: string, language: string): boolean {
  return STOP_WORDS.get(language)?.has(word) ?? false;
}

const list = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/));

const NORWEGIAN = list(
  "alle at av bare begge ble blei bli blir da de deg dem den denne der dere det dette disse du eller en enn er et ett etter for fra før ha hadde han har henne her hun hva hvem hver hvis hvor hvordan hvorfor i ikke inn jeg kan kunne man med meg men mot må ned noe noen nå når og også om opp oss over på samme seg selv sin sitt skal skulle slik som så til um under ut var ved vi vil ville vår være vært",
);

/** By language (ISO 639-1). A language without a list loses nothing: common words weigh little anyway. */
const STOP_WORDS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  [
    "en",
    list(
      "a about above after again against all am an and any are as at be because been before being below between both but by can could did do does doing down during each few for from further had has have having he her here hers herself him himself his how i if in into is it its itself just me more most my myself no nor not now of off on once only or other our ours ourselves out over own same she should so some such than that the their theirs them themselves then there these they this those through to too under until up very was we were what when where which while who whom why will with would you your yours yourself yourselves dont doesnt didnt isnt arent wasnt werent hasnt havent hadnt wont wouldnt cant couldnt shouldnt im ive ill youre youve hes shes theyre weve",
    ),
  ],
  [
    "de",
    list(
      "aber alle allem allen aller alles als also am an ander andere anderen auch auf aus bei bin bis bist da damit dann das dass dein deine dem den der des dich die dies diese diesem diesen dieser dieses dir doch dort du durch ein eine einem einen einer eines er es etwas euch euer für gegen hab habe haben hat hatte hatten hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren im in indem ins ist ja jede jedem jeden jeder jedes jene kann kein keine keinem keinen können könnte man manche mein meine mich mir mit muss musste nach nicht nichts noch nun nur ob oder ohne sehr sein seine seinem seinen seiner sich sie sind so solche soll sollte sondern sonst über um und uns unser unter viel vom von vor war waren warst was weg weil weiter welche wenn werde werden wie wieder will wir wird wo wollen wollte würde würden zu zum zur zwar zwischen",
    ),
  ],
  [
    "fr",
    list(
      "à ai aie ait alors as au aucun aussi autre aux avait avant avec avez avoir avons bon c ça car ce cela ces cet cette ceux chaque comme comment d dans de des donc dont du elle elles en encore entre es est et étaient était étant été être eu eux fait font hors ici il ils j je l la là le les leur leurs lui m ma mais me même mes moi mon n ne nos notre nous on ont ou où par parce pas peu peut plus pour pourquoi qu quand que quel quelle quelles quels qui s sa sans se sera ses seulement si sien son sont sous sur t ta tandis te tes toi ton tous tout toute toutes très trop tu un une vos votre vous vu y",
    ),
  ],
  [
    "es",
    list(
      "a al algo algunas algunos ante antes aquel aquella como con contra cual cuando de del desde donde dos durante e el él ella ellas ellos en entre era eran es esa esas ese eso esos esta está estaba estado están estar estas este esto estos fue fueron ha había habían han hasta hay la las le les lo los más me mi mí mis mucho muchos muy nada ni no nos nosotros nuestra nuestro o os otra otras otro otros para pero poco por porque pues qué que quien quienes se sea ser si sí sido sin sobre son su sus también tanto te tengo tiene tienen todo todos tu tú tus un una uno unos vosotros y ya yo",
    ),
  ],
  [
    "it",
    list(
      "a ad agli ai al alla alle allo anche avere aveva c che chi ci coi col come con contro cui d da dagli dai dal dalla dalle dallo degli dei del della delle dello di dove e è ed era erano essere fra gli ha hai hanno ho i il in io l la le lei li lo loro lui ma me mi mia mie miei mio ne negli nei nel nella nelle nello noi non nostra nostro o per perché più quale quando quanto quella quelle quelli quello questa queste questi questo se sei si sia siamo siete solo sono su sua sue sugli sui sul sulla sulle suo suoi ti tra tu tua tuo tutti tutto un una uno vi voi",
    ),
  ],
  [
    "pt",
    list(
      "a à ao aos aquela aquele aquilo as às até com como da das de dela dele deles depois do dos e é ela elas ele eles em entre era eram essa esse esta está estão estas este estes eu foi foram há isso isto já lhe lhes mais mas me mesmo meu meus minha muito na não nas nem no nos nós nossa nosso num numa o os ou para pela pelas pelo pelos por qual quando que quem são se sem ser será seu seus só sua suas também te tem têm teu tinha tu tua um uma você vocês",
    ),
  ],
  [
    "nl",
    list(
      "aan al alles als altijd andere ben bij daar dan dat de der deze die dit doch doen door dus een eens en er ge geen geweest haar had heb hebben heeft hem het hier hij hoe hun iemand iets ik in is ja je kan kon kunnen maar me meer men met mij mijn moet na naar niet niets nog nu of om omdat onder ons ook op over reeds te tegen toch toen tot u uit uw van veel voor want waren was wat werd wezen wie wil worden wordt zal ze zelf zich zij zijn zo zonder zou",
    ),
  ],
  [
    "sv",
    list(
      "alla allt att av blev bli blir de dem den denna deras dess dessa det detta dig din du där då efter ej eller en er ert ett från för ha hade han hans har hon henne hennes honom hur här i icke in inom inte jag ju kan kunde man med mellan men mig min mot mycket ni nu när någon något några och om oss på samma sedan sig sin sitt själv skulle som så till under upp ut utan vad var vara varför vars vem vi vid vilka vilken över",
    ),
  ],
  [
    "da",
    list(
      "af alle alt anden at blev blive bliver da de dem den denne der deres det dette dig din disse dog du efter eller en end er et for fra ham han hans har havde have hende her hun hvad hvis hvor i ikke ind jeg jer jo kunne man mange med meget men mig min mod ned noget nogle nu når og også om op os over på sig sin sit skal skulle som sådan thi til ud under var vi vil ville vor være været",
    ),
  ],
  ["no", NORWEGIAN],
  ["nb", NORWEGIAN],
  ["nn", NORWEGIAN],
  [
    "fi",
    list(
      "ei eivät että eli en he hän häntä ja jo johon joka jos jossa jota joten kanssa koska kuin kuka kun me mikä minä mitä mukaan mutta muut myös ne niin noin nyt nämä ole olen olet oli olla olivat on ovat se sekä sen siinä sitä tai te tämä tässä tuo vaan vai vaikka voi",
    ),
  ],
  [
    "ru",
    list(
      "а без более бы был была были было быть в вам вас весь во вот все всего всех вы где да для до его ее если есть ещё еще же за здесь и из или им их к как ко когда кто ли либо мне может мы на над надо не него нее нет ни них но ну о об однако он она они оно от перед по под при про с со так также такой там те тем то того той только том тот ты у уже хотя чего чем что чтобы эта эти это этот я",
    ),
  ],
  [
    "uk",
    list(
      "а але б без би був була були було бути в вам вас ви від він вона вони воно все всі г де для до є ж за з зі і із її їх й його к коли ми на над не ні о об один по при про с та так також там те ти то тому у цей це ці ця чи що щоб я як який",
    ),
  ],
  [
    "pl",
    list(
      "a aby ale bez bo być był była było były co czy dla do gdy gdzie go i ich ile im ja jak jako je jego jej jest jeszcze już kiedy kto która które który lub ma mi mnie może my na nad nie nich nim niż o od on ona one oni po pod przed przez przy są się ta tak także tam te tego tej ten to tu tylko tym ty w we wszystko z za ze że",
    ),
  ],
  [
    "tr",
    list(
      "ama ancak bana bazı ben bir biz bu çok çünkü da daha de diye en gibi hem hep her hiç için ile ise kadar ki kim mi mu mü nasıl ne neden o olan olarak oldu onlar sen siz şey şu ve veya ya yani",
    ),
  ],
  [
    "id",
    list(
      "ada adalah akan aku atau bagi bahwa bisa dan dari dengan di dia ia ini itu juga kami kamu karena ke kepada kita lagi maka mereka oleh pada saat saya sebagai sebuah seperti sudah tidak untuk yang",
    ),
  ],
]);
