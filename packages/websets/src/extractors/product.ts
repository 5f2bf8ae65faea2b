import type { PageText } from "../evidence.ts";
import { itemsIn, openGraph, structuredItems, textIn, type StructuredItem } from "../entities/structured-items.ts";
import { plainNumber, readNumbers, writeNumber } from "./read-numbers.ts";

/** What a shop's page says of what it sells. */
export interface ProductFacts {
  /** Plain digits. */
  readonly price: string | null;
  readonly currency: string | null;
  readonly sku: string | null;
  readonly gtin: string | null;
  readonly brand: string | null;
  /** As schema.org names it. */
  readonly availability: "InStock" | "OutOfStock" | "PreOrder" | null;
  /** Where the price was read. */
  readonly source: "structured data" | "meta tags" | "text" | null;
}

/** Reads the product a page sells: structured data first, then meta tags, then the text around its beginning. */
export function readProduct(page: PageText): ProductFacts {
  const items = structuredItems(page);
  const graph = openGraph(page);
  const products = items.filter(({ types }) =>
    types.some((type) => /^(?:product|productgroup|individualproduct|productmodel|vehicle|book)$/i.test(type)),
  );
  const product = mainProduct(products, page);
  const offers = [
    ...itemsIn(product, "offers"),
    ...itemsIn(product, "hasVariant").flatMap((variant) => itemsIn(variant, "offers")),
  ];
  const loose =
    product === undefined ? items.filter(({ types }) => types.some((type) => /^(?:aggregate)?offer$/i.test(type))) : [];
  const all = [...offers, ...loose];
  const structured = first(all.map(priceOf));
  const meta = plainPrice(
    graph["product:sale_price:amount"] ??
      graph["product:price:amount"] ??
      graph["og:price:amount"] ??
      graph["twitter:data1"],
  );
  const text = structured === undefined && meta === undefined ? priceInText(page) : undefined;
  const price = structured ?? meta ?? text?.value;
  const stock =
    first(all.map((offer) => readAvailability(textIn(offer, "availability")))) ??
    readAvailability(graph["product:availability"] ?? graph["og:availability"] ?? null) ??
    stockInText(page.text);
  return {
    price: price === undefined ? null : writeNumber(price),
    currency:
      first(all.map((offer) => textIn(offer, "priceCurrency") ?? undefined)) ??
      graph["product:price:currency"] ??
      graph["og:price:currency"] ??
      text?.currency ??
      null,
    sku:
      textIn(product, "sku", "productID", "productId") ??
      first(all.map((offer) => textIn(offer, "sku") ?? undefined)) ??
      graph["product:retailer_item_id"] ??
      skuInText(page),
    gtin: textIn(product, "gtin13", "gtin", "gtin14", "gtin12", "gtin8", "isbn"),
    brand: textIn(product, "brand", "manufacturer") ?? graph["product:brand"] ?? graph["og:brand"] ?? null,
    availability: stock ?? null,
    source:
      price === undefined
        ? null
        : structured !== undefined
          ? "structured data"
          : meta !== undefined
            ? "meta tags"
            : "text",
  };
}

/** Of many products on a page the one it is about: named by the title, else the first that has an offer. */
function mainProduct(products: readonly StructuredItem[], page: PageText): StructuredItem | undefined {
  const title = plain(page.title ?? "");
  const named = products.filter((item) => {
    const name = plain(textIn(item, "name") ?? "");
    return name.length > 3 && title.length > 3 && (title.includes(name) || name.includes(title));
  });
  const hasOffer = (item: StructuredItem): boolean => itemsIn(item, "offers").length > 0;
  return named.find(hasOffer) ?? products.find(hasOffer) ?? named[0] ?? products[0];
}

function priceOf(offer: StructuredItem): number | undefined {
  const own = plainPrice(textIn(offer, "price", "lowPrice") ?? undefined);
  if (own !== undefined) return own;
  const specification = itemsIn(offer, "priceSpecification")[0];
  const inner = itemsIn(offer, "offers")[0];
  return (
    plainPrice(textIn(specification, "price", "minPrice") ?? undefined) ??
    (inner === undefined ? undefined : plainPrice(textIn(inner, "price") ?? undefined))
  );
}

function plainPrice(written: string | undefined): number | undefined {
  const digits = /\d[\d.,'’\s\u00a0]*/
    .exec(written ?? "")?.[0]
    ?.trim()
    .replace(/[.,]$/, "");
  const value = digits === undefined ? undefined : plainNumber(digits);
  return value === undefined || value <= 0 ? undefined : value;
}

const PRICE_TEXT = 4_000;

/** The first sum of money of the text that is not a saving, a shipping cost or an old price. */
function priceInText(page: PageText): { readonly value: number; readonly currency: string } | undefined {
  const text = page.text.slice(0, PRICE_TEXT);
  const title = plain(page.title ?? "").slice(0, 30);
  const from = title === "" ? 0 : Math.max(0, plain(text).indexOf(title));
  const sums = readNumbers(text).filter(({ currency, value, start, end }) => {
    if (currency === null || value <= 0) return false;
    const before = text.slice(Math.max(0, start - 30), start).toLowerCase();
    const after = text.slice(end, end + 25).toLowerCase();
    return (
      !/\b(?:was|rrp|msrp|list price|save|saving|off|shipping|delivery|over|orders?|from|instead of|statt|uvp|versand|gift card|per month|deposit)\b[^\n]*$/.test(
        before,
      ) && !/^\s*(?:off|shipping|delivery|or more|\/\s?mo|per month)/.test(after)
    );
  });
  const best = sums.find(({ start }) => start >= from) ?? sums[0];
  return best === undefined ? undefined : { value: best.value, currency: best.currency ?? "" };
}

function skuInText(page: PageText): string | null {
  const found =
    /\b(?:SKU|Item (?:no\.?|number|#)|Product (?:code|no\.?|number|id)|Art(?:icle|ikel)?[.\s-]{0,9}(?:no\.?|nr\.?|number|nummer)|Model(?:\s+(?:no\.?|number))?|Style(?:\s+(?:no\.?|number))?|ASIN)\s{0,9}[:#.]?\s{0,9}([A-Z0-9][A-Z0-9._/-]{2,30})/i.exec(
      page.text,
    )?.[1];
  if (found !== undefined && /\d/.test(found)) return found;
  return /\/(?:dp|itm|p|product|item)\/([A-Z0-9-]*\d[A-Z0-9-]{3,20})(?:[/?#]|$)/i.exec(page.url)?.[1] ?? null;
}

function readAvailability(written: string | null): ProductFacts["availability"] | undefined {
  if (written === null) return undefined;
  const name = written
    .replace(/^.*[/#]/, "")
    .replaceAll(/[\s_-]/g, "")
    .toLowerCase();
  if (/^(?:instock|instoreonly|onlineonly|limitedavailability|available|in)$/.test(name)) return "InStock";
  if (/^(?:outofstock|soldout|discontinued|unavailable|oos)$/.test(name)) return "OutOfStock";
  return /^(?:preorder|presale|backorder)$/.test(name) ? "PreOrder" : undefined;
}

function stockInText(text: string): ProductFacts["availability"] | undefined {
  const head = text.slice(0, PRICE_TEXT);
  if (
    /\b(?:out of stock|sold out|currently unavailable|not available|no longer available|ausverkauft|rupture de stock|agotado|esaurito)\b/i.test(
      head,
    )
  )
    return "OutOfStock";
  if (/\bpre-?order\b/i.test(head)) return "PreOrder";
  return /\b(?:in stock|add to (?:cart|basket|bag)|available now|auf lager|en stock|disponibile)\b/i.test(head)
    ? "InStock"
    : undefined;
}

function first<Value>(values: readonly (Value | undefined)[]): Value | undefined {
  return values.find((value) => value !== undefined);
}

function plain(text: string): string {
  return text.toLowerCase().replaceAll(/\s+/g, " ").trim();
}
