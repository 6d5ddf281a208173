"""Tests of play without a camera."""
