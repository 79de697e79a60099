"""The painter of the demonstration's pictures: scenes, looks and flaws, by the recipes in recipes.tsv."""
