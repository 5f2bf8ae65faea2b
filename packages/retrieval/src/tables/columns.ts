import { Bool, Field, Int32, Int64, List, Utf8, vectorFromArray, type Vector } from "apache-arrow";

/** A column of text. */
export const textField = (name: string): Field => new Field(name, new Utf8(), false);
/** A column of text or nothing. */
export const optionalTextField = (name: string): Field => new Field(name, new Utf8(), true);
/** A column of whole numbers up to 2^53. */
export const integerField = (name: string): Field => new Field(name, new Int64(), false);
/** A column of such numbers or nothing. */
export const optionalIntegerField = (name: string): Field => new Field(name, new Int64(), true);
/** A column of small whole numbers. */
export const smallIntegerField = (name: string): Field => new Field(name, new Int32(), false);
/** A column of yes or no. */
export const booleanField = (name: string): Field => new Field(name, new Bool(), false);
/** A column of lists of texts. */
export const textListField = (name: string): Field => new Field(name, TEXT_LIST, false);

const TEXT_LIST = new List(new Field("item", new Utf8(), true));

/** Values as columns; text that is not well-formed Unicode is mended, since the engine refuses it. */
export const textColumn = (values: readonly string[]): Vector =>
  vectorFromArray(
    values.map((value) => value.toWellFormed()),
    new Utf8(),
  );
export const optionalTextColumn = (values: readonly (string | null)[]): Vector =>
  vectorFromArray(
    values.map((value) => value?.toWellFormed() ?? null),
    new Utf8(),
  );
export const integerColumn = (values: readonly (number | null)[]): Vector =>
  vectorFromArray(
    values.map((value) => (value === null ? null : BigInt(Math.trunc(value)))),
    new Int64(),
  );
export const smallIntegerColumn = (values: readonly number[]): Vector => vectorFromArray(values, new Int32());
export const booleanColumn = (values: readonly boolean[]): Vector => vectorFromArray(values, new Bool());
export const textListColumn = (values: readonly (readonly string[])[]): Vector =>
  vectorFromArray(
    values.map((texts) => texts.map((text) => text.toWellFormed())),
    TEXT_LIST,
  );
