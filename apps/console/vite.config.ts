import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** Where `npx vite apps/console` finds the server while one works on the console. */
const server = "http://127.0.0.1:7700";

export default defineConfig({
  base: "/console/",
  plugins: [react()],
  build: { target: "es2022", chunkSizeWarningLimit: 1_000, reportCompressedSize: false, assetsInlineLimit: 0 },
  server: { proxy: Object.fromEntries(["/quarry", "/openapi.json", "/search", "/contents"].map((at) => [at, server])) },
});
