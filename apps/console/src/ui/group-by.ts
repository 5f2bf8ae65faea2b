/** The items by what `key` says of each, in the order in which the keys first came. */
export function groupBy<Key, Item>(
  items: readonly Item[],
  key: (item: Item) => Key,
): ReadonlyMap<Key, readonly Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const at = key(item);
    const group = groups.get(at);
    if (group === undefined) groups.set(at, [item]);
    else group.push(item);
  }
  return groups;
}
